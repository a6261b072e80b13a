import { day, exactOf, isoOf, moment } from './format.ts'
import { pattern } from './jsx/written.ts'

/** A time as people say it; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => timeOf(at, moment(at, now))

export const Day = ({ at }: { at: number }) => timeOf(at, day(at))

const time = pattern((place) => (
  <time datetime={place} title={place} data-relative="">
    {place}
  </time>
))

function timeOf(at: number, said: string) {
  const iso = isoOf(at)
  return time(iso, exactOf(iso), said)
}
