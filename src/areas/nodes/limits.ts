/** The range of account user ids on a node. */
export const firstUid = 20_000
export const lastUid = 59_999
