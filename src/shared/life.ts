/** Which life of a store a server serves. */
interface Life {
  readonly epoch: number
  readonly life?: string | undefined
}

/** Whether one life of a store counts as the later: of two that began in one millisecond on two machines, one has to. */
export const isLater = (one: Life, other: Life): boolean =>
  one.epoch > other.epoch || (one.epoch === other.epoch && (one.life ?? '') > (other.life ?? ''))
