"""Fetch the documents that fetched ones name."""

from dataclasses import dataclass, field

from deploy.loader.documents.fetching import Fetcher, FetchError
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source


@dataclass(slots=True)
class Following:
    """The documents that others name.

    asked: addresses that are not fetched, because they were before. found: the fetched documents. done: addresses of
    documents of which all that they name were fetched. Documents that a named one names are done together with it,
    because a reader may need them together.
    """

    fetcher: Fetcher
    source: Source
    findings: Findings
    asked: set[str]
    found: list[Document] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    async def follow(self, documents: list[Document]) -> None:
        """Fetch what these name. Raises DocumentError if one is not of a form that names others."""
        self.done = {document.address for document in documents}
        level = [document for document in documents if "://" in document.address]
        for depth in range(self.source.levels):
            level, naming = [], level
            for document in naming:
                before = len(self.found)
                complete = await self._fetch(document)
                children = self.found[before:]
                level += children
                if complete or not depth:
                    self.done |= {each.address for each in children}
                if not complete:
                    self.done.discard(document.address)

    async def _fetch(self, document: Document) -> bool:
        """Fetch the documents that one names; return whether all were fetched."""
        complete = True
        for address in self.source.named(document):
            if address in self.asked:
                continue
            if len(self.found) >= self.source.most_named:
                return False
            self.asked.add(address)
            try:
                self.found.append(await self.fetcher.fetch_named(address, document.address))
            except (FetchError, DocumentError) as error:
                self.findings.read += 1
                self.findings.rejected.append(Rejected(address, str(error)))
                complete = False
        return complete
