/** The label directly below the zone's name, in SQL: what follows the last dot, or all. */
export const topOf = (name: string): string => `substr(${name}, length(rtrim(${name}, replace(${name}, '.', ''))) + 1)`

/** A change reads the records that it can invalidate, however large the rest of the zone is. */
export const sql = `
CREATE INDEX dns_records_top ON dns_records (zone_id, ${topOf('name')});
CREATE INDEX dns_records_pointer ON dns_records (zone_id) WHERE type IN ('MX', 'NS', 'SRV');
`
