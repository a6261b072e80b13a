import type { Code } from './statement.ts'

/**
 * The state in which an event that is to run waits until everything is loaded. A server whose event scheduler is on must
 * run it neither in a trial nor on half of the rows; no event has this state afterwards.
 */
const PAUSED = 'DISABLE ON SLAVE'

const name = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*")'
/** What MariaDB writes of an event before its state. */
const beginning = (definer: string) =>
  `^((?:/\\*!50106 CREATE\\*/ /\\*!50117 )?(?:CREATE (?:OR REPLACE )?)?DEFINER=${definer}(?:\\*/ /\\*!50106)? EVENT ${name} ON SCHEDULE [^\n]*? ON COMPLETION (?:NOT )?PRESERVE )`
const dumped = new RegExp(`${beginning('CURRENT_USER')}(ENABLE|DISABLE ON (?:SLAVE|REPLICA))\\b`)
const loaded = new RegExp(`${beginning(`${name}@${name}`)}DISABLE ON (?:SLAVE|REPLICA)\\b`)

/** The first line of an event in a dump, for a single-use user. Events that a replica has disabled stay disabled. */
export const pausedEvent = (line: string): string =>
  line.replace(dumped, (_, before, state) => `${before}${state === 'ENABLE' ? PAUSED : 'DISABLE'}`)

/** Whether the server's statement is that of an event that waits. */
export const isPausedEvent = (statement: string): boolean => loaded.test(statement)

/** The statement that makes it run. */
export const releasedEvent = (statement: string): string => statement.replace(loaded, '$1ENABLE')

/** The same for a statement of any program, whose name of the event ends before this position. */
export function pauseEvent(code: Code, from: number): void {
  for (let at = from; at < code.length; at++) {
    if (code.isWord(at, 'ENABLE')) return code.replace(at, at, PAUSED)
    if (code.isWord(at, 'DISABLE')) return code.isWord(at + 1, 'ON') ? code.replace(at, at + 2, 'DISABLE') : undefined
    if (code.isWord(at, 'COMMENT', 'DO')) return pauseByDefault(code, at)
  }
}

/** A new event runs unless its statement says otherwise; one that is altered stays what it is. */
function pauseByDefault(code: Code, at: number): void {
  if (code.isWord(0, 'CREATE')) code.replace(at, at, `${PAUSED} ${code.raw(at)}`)
}
