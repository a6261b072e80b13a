import { day, exact, moment } from './format.ts'

/** A time as people say it; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => (
  <time datetime={new Date(at).toISOString()} title={exact(at)} data-relative="">
    {moment(at, now)}
  </time>
)

export const Day = ({ at }: { at: number }) => (
  <time datetime={new Date(at).toISOString()} title={exact(at)} data-relative="">
    {day(at)}
  </time>
)
