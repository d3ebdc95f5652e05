from tests.services.tiles.test_tile_geometry import _grids,_tile
from tests.services.tiles.places import *
from tests.services.tiles.conftest import *
from tests.services.conftest import *
import asyncpg
async def test_x(placed, placed_tiles, caplog):
    for i,t in (("UTM31WGS84Quad","points"),("NZTM2000Quad","points"),("UTM31WGS84Quad","lines")):
        g=(await _grids(placed_tiles,i))[0]
        c=g.tile_at(*ANCHORS[i])
        d={f.id:f for f in await _tile(placed_tiles,t,i,g,c)}
        e={n:g.place(p,*c) for n,p in placed.shapes[t].items()}
        miss=[n for n,p in e.items() if not inside(p).is_empty and n not in d]
        print(i,t,g,c,len(d),len(miss),[(n,placed.shapes[t][n].wkt[:60],e[n].wkt[:80]) for n in miss[:12]])
    try: await _tile(placed_tiles,"polygons","NZTM2000Quad",(await _grids(placed_tiles,"NZTM2000Quad"))[0],(0,0))
    except AssertionError: pass
    for r in caplog.records:
        if r.exc_info: print(repr(r.exc_info[1])[:600])
        print(r.getMessage(), getattr(r,'fields',None)) if r.levelno>20 else 0
    con=await asyncpg.connect(placed.owner_url)
    for srid,lo,la in ((32631,-90,30),(2193,100,0),(2193,95,10)):
      try: print(await con.fetchval("select st_astext(st_transform(st_setsrid(st_makepoint($2,$3),4326),$1::int))",srid,lo,la), transformer(srid).transform(lo,la))
      except Exception as ex: print(ex)
    print(await con.fetchval("select postgis_full_version()"))
