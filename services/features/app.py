"""The features service: its routes and handlers."""

from collections.abc import Mapping
from pathlib import Path

from aiohttp import web

from libs.web.app import make_app
from services.features import changes, data_queries, impact, instances, schema, stac_catalogue, stac_items
from services.features.alert import get_alert
from services.features.asyncapi import get_asyncapi
from services.features.bundle import get_bundle
from services.features.event import get_event
from services.features.export import get_export
from services.features.facets import get_facets
from services.features.feed import get_feed
from services.features.functions import get_functions
from services.features.impacts_of import get_impacts
from services.features.intensity import get_intensity
from services.features.item import get_item
from services.features.items import get_items
from services.features.part import PART
from services.features.programs import get_programs
from services.features.queryables import get_queryables
from services.features.resources import add_resources
from services.features.settings import Settings
from services.features.sortables import get_sortables
from services.features.versions import get_versions

_HANDLERS = {
    "getQueryables": get_queryables,
    "getSortables": get_sortables,
    "getSchema": schema.get_schema,
    "getFeatureSchema": schema.get_feature_schema,
    "getAlert": get_alert,
    "getAsyncApi": get_asyncapi,
    "getChanges": changes.get_changes,
    "getEvent": get_event,
    "getBundle": get_bundle,
    "getImpact": impact.get_impact,
    "getFacilities": impact.get_facilities,
    "getImpacts": get_impacts,
    "getIntensity": get_intensity,
    "getCollectionChanges": changes.get_collection_changes,
    "getFacets": get_facets,
    "getFeed": get_feed,
    "getFunctions": get_functions,
    "getItems": get_items,
    "getItem": get_item,
    "getPosition": data_queries.get_position,
    "getRadius": data_queries.get_radius,
    "getArea": data_queries.get_area,
    "getCorridor": data_queries.get_corridor,
    "getInstances": instances.get_instances,
    "getInstance": instances.get_instance,
    "getInstancePosition": data_queries.get_position,
    "getInstanceRadius": data_queries.get_radius,
    "getInstanceArea": data_queries.get_area,
    "getInstanceCorridor": data_queries.get_corridor,
    "getVersions": get_versions,
    "getExport": get_export,
    "getPrograms": get_programs,
    "postSearch": get_items,
    "getStac": stac_catalogue.get_stac,
    "getStacCollection": stac_catalogue.get_stac_collection,
    "getStacCollections": stac_catalogue.get_stac_collections,
    "getStacConformance": stac_catalogue.get_stac_conformance,
    "getStacItem": stac_items.get_stac_item,
    "getStacItems": stac_items.get_stac_items,
    "getStacSearch": stac_items.get_stac_search,
    "postStacSearch": stac_items.get_stac_search,
}


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    app = make_app(settings, PART, _HANDLERS, templates=Path(__file__).parent / "templates")
    add_resources(app, settings)
    return app
