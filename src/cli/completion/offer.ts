/** A completion: the word and its meaning. */
export type Offer = readonly [string, string]
