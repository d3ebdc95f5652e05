"""The features service: its routes and handlers."""

from collections.abc import Mapping
from pathlib import Path

from aiohttp import web

from libs.web.app import make_app
from services.features.alert import get_alert
from services.features.asyncapi import get_asyncapi
from services.features.bundle import get_bundle
from services.features.changes import get_changes, get_collection_changes
from services.features.data_queries import get_area, get_corridor, get_position, get_radius
from services.features.event import get_event
from services.features.export import get_export
from services.features.facets import get_facets
from services.features.feed import get_feed
from services.features.functions import get_functions
from services.features.impact import get_facilities, get_impact
from services.features.impacts_of import get_impacts
from services.features.instances import get_instance, get_instances
from services.features.intensity import get_intensity
from services.features.item import get_item
from services.features.items import get_items
from services.features.part import PART
from services.features.programs import get_programs
from services.features.queryables import get_queryables
from services.features.resources import add_resources
from services.features.schema import get_feature_schema, get_schema
from services.features.settings import Settings
from services.features.sortables import get_sortables
from services.features.stac_catalogue import (
    get_stac,
    get_stac_collection,
    get_stac_collections,
    get_stac_conformance,
)
from services.features.stac_items import get_stac_item, get_stac_items, get_stac_search

_HANDLERS = {
    "getQueryables": get_queryables,
    "getSortables": get_sortables,
    "getSchema": get_schema,
    "getFeatureSchema": get_feature_schema,
    "getAlert": get_alert,
    "getAsyncApi": get_asyncapi,
    "getChanges": get_changes,
    "getEvent": get_event,
    "getBundle": get_bundle,
    "getImpact": get_impact,
    "getFacilities": get_facilities,
    "getImpacts": get_impacts,
    "getIntensity": get_intensity,
    "getCollectionChanges": get_collection_changes,
    "getFacets": get_facets,
    "getFeed": get_feed,
    "getFunctions": get_functions,
    "getItems": get_items,
    "getItem": get_item,
    "getPosition": get_position,
    "getRadius": get_radius,
    "getArea": get_area,
    "getCorridor": get_corridor,
    "getInstances": get_instances,
    "getInstance": get_instance,
    "getInstancePosition": get_position,
    "getInstanceRadius": get_radius,
    "getInstanceArea": get_area,
    "getInstanceCorridor": get_corridor,
    "getExport": get_export,
    "getPrograms": get_programs,
    "postSearch": get_items,
    "getStac": get_stac,
    "getStacCollection": get_stac_collection,
    "getStacCollections": get_stac_collections,
    "getStacConformance": get_stac_conformance,
    "getStacItem": get_stac_item,
    "getStacItems": get_stac_items,
    "getStacSearch": get_stac_search,
    "postStacSearch": get_stac_search,
}


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    app = make_app(settings, PART, _HANDLERS, templates=Path(__file__).parent / "templates")
    add_resources(app, settings)
    return app
