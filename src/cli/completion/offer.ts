/** One offer: the word and what it means. */
export type Offer = readonly [string, string]
