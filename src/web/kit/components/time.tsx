import { day, exact, isoOf, moment } from '../format/format.ts'
import { pattern } from '../html/html.ts'

/** A human-readable time; a script adds the exact one in the browser's zone. */
export const Time = ({ at, now }: { at: number; now: number }) => timeOf(at, moment(at, now))

export const Day = ({ at }: { at: number }) => timeOf(at, day(at))

const time = pattern<'iso' | 'at' | 'text'>(({ iso, at, text }) => (
  <time datetime={iso} title={at} data-relative="">
    {text}
  </time>
))

const timeOf = (at: number, text: string) => time({ iso: isoOf(at), at: exact(at), text })
