"""Made-up hazard data of any size, labelled as simulated: for trying out how a database bears them."""
