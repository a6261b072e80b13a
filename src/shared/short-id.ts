/** The least of an id, its beginning or its end, that is shown and accepted for all of it. */
export const MIN_ID_PART = 6
