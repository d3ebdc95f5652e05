"""The gateway: nginx in front of the services, and the document that describes them as one."""
