-- Identifiers for joining with other data: ISO 3166-1 alpha-3 codes of countries, the hazard codes of UNDRR and ISC (2025),
-- and GLIDE numbers.
CREATE OR REPLACE FUNCTION dams.country_code(country text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb '{
        "Afghanistan": "AFG", "Aland Islands": "ALA", "Albania": "ALB", "Algeria": "DZA", "American Samoa": "ASM",
        "Andorra": "AND", "Angola": "AGO", "Anguilla": "AIA", "Antarctica": "ATA", "Antigua and Barbuda": "ATG",
        "Argentina": "ARG", "Armenia": "ARM", "Aruba": "ABW", "Australia": "AUS", "Austria": "AUT", "Azerbaijan": "AZE",
        "Bahamas": "BHS", "Bahrain": "BHR", "Bangladesh": "BGD", "Barbados": "BRB", "Belarus": "BLR", "Belgium": "BEL",
        "Belize": "BLZ", "Benin": "BEN", "Bermuda": "BMU", "Bhutan": "BTN", "Bolivia": "BOL",
        "Bolivia (Plurinational State of)": "BOL",
        "Bonaire, Saint Eustatius and Saba": "BES", "Bonaire, Sint Eustatius and Saba": "BES", "Bosnia and Herzegovina": "BIH", "Botswana": "BWA",
        "Bouvet Island": "BVT", "Brazil": "BRA", "British Indian Ocean Territory": "IOT", "British Virgin Islands": "VGB",
        "Brunei": "BRN", "Brunei Darussalam": "BRN", "Bulgaria": "BGR", "Burkina Faso": "BFA", "Burma": "MMR",
        "Burundi": "BDI", "Cabo Verde": "CPV", "Cambodia": "KHM", "Cameroon": "CMR", "Canada": "CAN", "Cape Verde": "CPV",
        "Cayman Islands": "CYM", "Central African Republic": "CAF", "Chad": "TCD", "Chile": "CHL", "China": "CHN",
        "Chinese Taipei": "TWN", "Christmas Island": "CXR", "Cocos Islands": "CCK", "Colombia": "COL", "Comoros": "COM",
        "Congo": "COG", "Cook Islands": "COK", "Costa Rica": "CRI", "Cote d''Ivoire": "CIV", "Croatia": "HRV",
        "Cuba": "CUB", "Curacao": "CUW", "Curaçao": "CUW", "Cyprus": "CYP", "Czech Republic": "CZE", "Czechia": "CZE",
        "Côte d''Ivoire": "CIV", "Dem. Rep. Congo": "COD", "Democratic People''s Republic of Korea": "PRK",
        "Democratic Republic of the Congo": "COD", "Denmark": "DNK", "Djibouti": "DJI", "Dominica": "DMA",
        "Dominican Republic": "DOM", "East Timor": "TLS", "Ecuador": "ECU", "Egypt": "EGY", "El Salvador": "SLV",
        "Equatorial Guinea": "GNQ", "Eritrea": "ERI", "Estonia": "EST", "Eswatini": "SWZ", "Ethiopia": "ETH",
        "Faeroe Islands": "FRO", "Falkland Islands": "FLK", "Faroe Islands": "FRO",
        "Federated States of Micronesia": "FSM", "Fiji": "FJI", "Finland": "FIN", "France": "FRA", "French Guiana": "GUF",
        "French Polynesia": "PYF", "French Southern Territories": "ATF", "French Southern and Antarctic Lands": "ATF",
        "Gabon": "GAB", "Gambia": "GMB", "Georgia": "GEO", "Germany": "DEU", "Ghana": "GHA", "Gibraltar": "GIB",
        "Great Britain": "GBR", "Greece": "GRC", "Greenland": "GRL", "Grenada": "GRD", "Guadeloupe": "GLP", "Guam": "GUM",
        "Guatemala": "GTM", "Guernsey": "GGY", "Guinea": "GIN", "Guinea-Bissau": "GNB", "Guyana": "GUY", "Haiti": "HTI",
        "Heard Island and McDonald Islands": "HMD", "Holy See": "VAT", "Honduras": "HND", "Hong Kong": "HKG",
        "Hungary": "HUN", "Iceland": "ISL", "India": "IND", "Indonesia": "IDN", "Iran": "IRN",
        "Iran (Islamic Republic of)": "IRN", "Iraq": "IRQ", "Ireland": "IRL", "Isle of Man": "IMN", "Israel": "ISR",
        "Italy": "ITA", "Ivory Coast": "CIV", "Jamaica": "JAM", "Japan": "JPN", "Jersey": "JEY", "Jordan": "JOR",
        "Kazakhstan": "KAZ", "Kenya": "KEN", "Kiribati": "KIR", "Kosovo": "XKX", "Kuwait": "KWT", "Kyrgyzstan": "KGZ",
        "Lao PDR": "LAO", "Lao People''s Democratic Republic": "LAO", "Laos": "LAO", "Latvia": "LVA", "Lebanon": "LBN",
        "Lesotho": "LSO", "Liberia": "LBR", "Libya": "LBY", "Liechtenstein": "LIE", "Lithuania": "LTU",
        "Luxembourg": "LUX", "Macao": "MAC", "Macau": "MAC", "Macedonia": "MKD", "Madagascar": "MDG", "Malawi": "MWI",
        "Malaysia": "MYS", "Maldives": "MDV", "Mali": "MLI", "Malta": "MLT", "Marshall Islands": "MHL",
        "Martinique": "MTQ", "Mauritania": "MRT", "Mauritius": "MUS", "Mayotte": "MYT", "Mexico": "MEX",
        "Micronesia": "FSM", "Micronesia (Federated States of)": "FSM", "Moldova": "MDA", "Monaco": "MCO",
        "Mongolia": "MNG", "Montenegro": "MNE", "Montserrat": "MSR", "Morocco": "MAR", "Mozambique": "MOZ",
        "Myanmar": "MMR", "Namibia": "NAM", "Nauru": "NRU", "Nepal": "NPL", "Netherlands": "NLD",
        "Netherlands Antilles": "ANT", "New Caledonia": "NCL", "New Zealand": "NZL", "Nicaragua": "NIC", "Niger": "NER",
        "Nigeria": "NGA", "Niue": "NIU", "Norfolk Island": "NFK", "North Korea": "PRK", "North Macedonia": "MKD",
        "Northern Mariana Islands": "MNP", "Norway": "NOR", "Oman": "OMN", "Pakistan": "PAK", "Palau": "PLW",
        "Palestine": "PSE", "Palestinian Territory": "PSE", "Panama": "PAN", "Papua New Guinea": "PNG", "Paraguay": "PRY",
        "Peru": "PER", "Philippines": "PHL", "Pitcairn": "PCN", "Pitcairn Islands": "PCN", "Poland": "POL",
        "Portugal": "PRT", "Puerto Rico": "PRI", "Qatar": "QAT", "Republic of Korea": "KOR", "Republic of Moldova": "MDA",
        "Republic of the Congo": "COG", "Reunion": "REU", "Romania": "ROU", "Russia": "RUS", "Russian Federation": "RUS",
        "Rwanda": "RWA", "Réunion": "REU", "Saint Barthelemy": "BLM", "Saint Helena": "SHN",
        "Saint Kitts and Nevis": "KNA", "Saint Lucia": "LCA", "Saint Martin": "MAF", "Saint Pierre and Miquelon": "SPM",
        "Saint Vincent and the Grenadines": "VCT", "Samoa": "WSM", "San Marino": "SMR", "Sao Tome and Principe": "STP",
        "Saudi Arabia": "SAU", "Senegal": "SEN", "Serbia": "SRB", "Serbia and Montenegro": "SCG", "Seychelles": "SYC",
        "Sierra Leone": "SLE", "Singapore": "SGP", "Sint Maarten": "SXM", "Slovakia": "SVK", "Slovenia": "SVN",
        "Solomon Islands": "SLB", "Somalia": "SOM", "South Africa": "ZAF",
        "South Georgia and the South Sandwich Islands": "SGS", "South Korea": "KOR", "South Sudan": "SSD", "Spain": "ESP",
        "Sri Lanka": "LKA", "St-Barthélemy": "BLM", "St-Martin": "MAF", "St. Kitts and Nevis": "KNA",
        "St. Pierre and Miquelon": "SPM", "State of Palestine": "PSE", "Sudan": "SDN", "Suriname": "SUR",
        "Svalbard and Jan Mayen": "SJM", "Swaziland": "SWZ", "Sweden": "SWE", "Switzerland": "CHE", "Syria": "SYR",
        "Syrian Arab Republic": "SYR", "São Tomé and Principe": "STP", "Taiwan": "TWN", "Tajikistan": "TJK",
        "Tanzania": "TZA", "Thailand": "THA", "The Bahamas": "BHS", "The Gambia": "GMB", "The Netherlands": "NLD",
        "The former Yugoslav Republic of Macedonia": "MKD", "Timor Leste": "TLS", "Timor-Leste": "TLS", "Togo": "TGO",
        "Tokelau": "TKL", "Tonga": "TON", "Trinidad and Tobago": "TTO", "Tunisia": "TUN", "Turkey": "TUR",
        "Turkiye": "TUR", "Turkmenistan": "TKM", "Turks and Caicos Islands": "TCA", "Tuvalu": "TUV", "Türkiye": "TUR",
        "U.S. Virgin Islands": "VIR", "UK": "GBR", "USA": "USA", "Uganda": "UGA", "Ukraine": "UKR",
        "United Arab Emirates": "ARE", "United Kingdom": "GBR",
        "United Kingdom of Great Britain and Northern Ireland": "GBR", "United Republic of Tanzania": "TZA",
        "United States": "USA", "United States Minor Outlying Islands": "UMI", "United States of America": "USA",
        "Uruguay": "URY", "Uzbekistan": "UZB", "Vanuatu": "VUT", "Vatican": "VAT", "Venezuela": "VEN",
        "Venezuela (Bolivarian Republic of)": "VEN", "Viet Nam": "VNM", "Vietnam": "VNM", "Wallis and Futuna": "WLF",
        "Wallis and Futuna Islands": "WLF", "Western Sahara": "ESH", "Yemen": "YEM", "Zambia": "ZMB", "Zimbabwe": "ZWE",
        "eSwatini": "SWZ", "Åland": "ALA"
    }' ->> btrim($1)
$$;
COMMENT ON FUNCTION dams.country_code(text) IS 'The ISO 3166-1 alpha-3 code of a country, by its name in Natural Earth, GeoNames or the United Nations; null for others.';

CREATE OR REPLACE FUNCTION dams.country_codes(countries text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- the name of a country may have a comma itself
    SELECT coalesce(dams.country_code($1), (
        SELECT string_agg(code, ', ' ORDER BY place)
        FROM string_to_table($1, ',') WITH ORDINALITY listed (name, place), dams.country_code(name) code
    ))
$$;
COMMENT ON FUNCTION dams.country_codes(text) IS 'The ISO 3166-1 alpha-3 codes of countries whose names are separated by commas.';

-- Computed from other columns, so that every source has them. ALTER TABLE only if a column is missing, as even one without
-- effect waits for all writers.
DO $$
DECLARE
    added record;
BEGIN
    FOR added IN
        SELECT format('hazard.hazard_%s', wanted.suffix)::regclass AS relation, wanted.name, wanted.value
        FROM (VALUES
            ('eq_events', 'hazard_code', $v$CASE WHEN coalesce(event_type, 'earthquake') = 'earthquake' THEN 'GH0101' END$v$),
            ('eq_events', 'country_codes', 'dams.country_codes(country)'),
            ('fl_events', 'hazard_code', $v$'MH0600'$v$),
            ('fl_events', 'country_codes', $v$dams.country_codes(coalesce(country || ',' || other_country, country))$v$),
            ('fl_alerts', 'hazard_code', $v$'MH0600'$v$), ('fl_alerts', 'country_codes', 'dams.country_codes(country)'),
            ('ts_events', 'hazard_code', $v$'MH0306'$v$), ('ts_disturbance_events', 'hazard_code', $v$'MH0306'$v$)
        ) wanted (suffix, name, value)
    LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = added.relation AND attname = added.name);
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I text GENERATED ALWAYS AS (%s) STORED', added.relation, added.name, added.value);
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'hazard.hazard_eq_events'::regclass AND attname = 'glide_number') THEN
        ALTER TABLE hazard.hazard_eq_events ADD COLUMN glide_number text;
    END IF;
    -- of storms, which cross the sea, the source says them
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'hazard.hazard_ts_events'::regclass AND attname = 'glide_number') THEN
        ALTER TABLE hazard.hazard_ts_events ADD COLUMN glide_number text, ADD COLUMN country_codes text;
    END IF;
    FOR added IN
        SELECT format('hazard.hazard_%s', suffix)::regclass AS relation
        FROM unnest(ARRAY['eq_events', 'fl_events', 'fl_alerts', 'ts_events', 'ts_disturbance_events']) suffix
    LOOP
        EXECUTE format($c$COMMENT ON COLUMN %s.hazard_code IS 'Hazard code. Code of the hazard in the hazard information profiles of UNDRR and ISC (2025): GH0101 earthquake, MH0600 flood, MH0306 tropical cyclone.'$c$, added.relation);
        CONTINUE WHEN added.relation = 'hazard.hazard_ts_disturbance_events'::regclass;
        EXECUTE format($c$COMMENT ON COLUMN %s.country_codes IS 'Country codes. ISO 3166-1 alpha-3 codes of the countries, such as NPL; empty at sea and for other names.'$c$, added.relation);
    END LOOP;
END
$$;
COMMENT ON COLUMN hazard.hazard_eq_events.glide_number IS 'GLIDE number. Global identifier number of the disaster; empty if it has none.';
COMMENT ON COLUMN hazard.hazard_ts_events.glide_number IS 'GLIDE number. Global identifier number of the disaster; empty if it has none.';
