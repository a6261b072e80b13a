/** The zone that names zones to peers (RFC 9432): none of the world's. */
export const catalogZone = (number: number): string => `catalog-${number}.panel.invalid`

export const tsigAlgorithm = 'hmac-sha256'
/** The key of a peer, by the peer's name. */
export const tsigName = (peer: string): string => `panel-${peer}`
