import { day, exact, moment } from './format.ts'

/** A time as people say it; a script shows the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => (
  <time datetime={new Date(at).toISOString()} title={exact(at)} data-time="">
    {moment(at, now)}
  </time>
)

export const Day = ({ at }: { at: number }) => (
  <time datetime={new Date(at).toISOString()} title={exact(at)}>
    {day(at)}
  </time>
)
