// One request for each address at a time. A map that shows several copies of the world asks for each tile once per copy.

/**
 * A fetch whose simultaneous GET requests for one address share one response. The request is cancelled once every
 * caller has cancelled; each caller's own signal rejects its promise with an AbortError at once.
 * @param {typeof fetch} plain
 * @returns {typeof fetch}
 */
export function sharedFetch(plain) {
  /** @type {Map<string, Shared>} */
  const running = new Map();
  return async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== "GET") return plain(request);
    request.signal.throwIfAborted();
    const known = running.get(request.url);
    const shared = known ?? new Shared(plain, request, () => running.get(request.url) === shared && running.delete(request.url));
    running.set(request.url, shared);
    return shared.join(request.signal);
  };
}

class Shared {
  #callers = 0;
  #abort = new AbortController();
  /** @type {Promise<Response>} */
  #response;
  #end;

  /**
   * @param {typeof fetch} plain
   * @param {Request} request
   * @param {() => void} end called once no further caller can join
   */
  constructor(plain, request, end) {
    this.#end = end;
    this.#response = plain(new Request(request, { signal: this.#abort.signal }));
    this.#response.then(end, end);
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response>} a copy of the response, whose body only this caller reads
   */
  join(signal) {
    this.#callers += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#callers -= 1;
        if (!this.#callers) {
          this.#end();
          this.#abort.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#response.then((response) => resolve(response.clone()), reject);
    });
  }
}
