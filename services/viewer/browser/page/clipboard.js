// The clipboard, which is not everywhere: without TLS, or leave, there is none.

/**
 * Puts a text there; whether it could.
 * @param {string} text
 */
export async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
