import { day, exactOf, isoOf, moment } from './format.ts'
import { pattern } from './jsx/written.ts'

/** A time as people say it; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => timeOf(at, moment(at, now))

export const Day = ({ at }: { at: number }) => timeOf(at, day(at))

const time = pattern<'iso' | 'exact' | 'said'>(({ iso, exact, said }) => (
  <time datetime={iso} title={exact} data-relative="">
    {said}
  </time>
))

function timeOf(at: number, said: string) {
  const iso = isoOf(at)
  return time({ iso, exact: exactOf(iso), said })
}
