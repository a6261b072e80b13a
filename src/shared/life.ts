/** The life of the store that a server serves. */
interface Life {
  readonly epoch: number
  readonly life?: string | undefined
}

/** Whether one life of a store is later than another; the id decides between two that began in the same millisecond. */
export const isLater = (one: Life, other: Life): boolean =>
  one.epoch > other.epoch || (one.epoch === other.epoch && (one.life ?? '') > (other.life ?? ''))
