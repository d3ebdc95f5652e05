"""The manifests on a real cluster, while they are asked."""
