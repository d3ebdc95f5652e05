"""Made-up hazard data of any size, labelled as simulated: to test a database under load."""
