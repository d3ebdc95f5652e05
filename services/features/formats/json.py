"""f=json: GeoJSON under the name of plain JSON, for clients that know no other."""

from libs.ogc.media_type import MediaType
from services.features.formats.geojson import GeoJson


class Json(GeoJson):
    """GeoJSON as `application/json`."""

    name = "json"
    media_type = MediaType.JSON
    label = "JSON"
    title = "Features as plain JSON"
    aliases = ()


FORMAT = Json()
