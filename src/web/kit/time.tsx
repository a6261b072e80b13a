import { day, exact, isoOf, moment } from './format.ts'
import { pattern } from './jsx/written.ts'

/** A human-readable time; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => timeOf(at, moment(at, now))

export const Day = ({ at }: { at: number }) => timeOf(at, day(at))

const time = pattern<'iso' | 'at' | 'said'>(({ iso, at, said }) => (
  <time datetime={iso} title={at} data-relative="">
    {said}
  </time>
))

const timeOf = (at: number, said: string) => time({ iso: isoOf(at), at: exact(at), said })
