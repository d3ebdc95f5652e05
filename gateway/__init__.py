"""The gateway: nginx in front of the services, and the merged OpenAPI document."""
