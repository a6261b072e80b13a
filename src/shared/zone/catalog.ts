/** The catalog zone for peers (RFC 9432); not a public name. */
export const catalogZone = (number: number): string => `catalog-${number}.panel.invalid`

export const tsigAlgorithm = 'hmac-sha256'
/** The name of a peer's TSIG key. */
export const tsigName = (peer: string): string => `panel-${peer}`
