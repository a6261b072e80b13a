/** The range of user ids of accounts, on each node. */
export const FIRST_ACCOUNT_UID = 20_000
export const LAST_ACCOUNT_UID = 59_999

export const isAccountUid = (uid: number): boolean => uid >= FIRST_ACCOUNT_UID && uid <= LAST_ACCOUNT_UID
