"""Export whole collections or parts of them as files: written once, shared by all readers, cached for a while."""
