/** The accounts with a domain like `@search`. */
export const domainSearch = 'SELECT account_id FROM domains WHERE instr(name, @search)'
