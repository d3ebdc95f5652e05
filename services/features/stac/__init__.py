"""Events, hazards and impacts as STAC items with the Monty extension: https://ifrcgo.org/monty-stac-extension/."""
