import { day, exact, isoOf, moment } from '../format/format.ts'

/** A human-readable time; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => <Moment at={at} text={moment(at, now)} />

export const Day = ({ at }: { at: number }) => <Moment at={at} text={day(at)} />

const Moment = ({ at, text }: { at: number; text: string }) => (
  <time datetime={isoOf(at)} title={exact(at)} data-relative="">
    {text}
  </time>
)
