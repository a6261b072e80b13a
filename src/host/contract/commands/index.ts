import type { Source } from '../byte-source.ts'
import type { AnyCommand } from '../command.ts'
import type { Output } from '../fields.ts'
import { appCommands } from './apps.ts'
import { backupCommands } from './backups.ts'
import { banCommands } from './bans.ts'
import { conditionCommands } from './condition.ts'
import { cronCommands } from './cron.ts'
import { dumpCommands } from './dumps.ts'
import { fileCommands } from './files.ts'
import { firewallCommands } from './firewall.ts'
import { importCommands } from './imports.ts'
import { logCommands } from './logs.ts'
import { mailCommands } from './mail.ts'
import { mailQueueCommands } from './mail-queue.ts'
import { mailTraceCommands } from './mail-trace.ts'
import { programCommands } from './programs.ts'
import { serviceCommands } from './services.ts'
import { hostCommands, stateCommands } from './state.ts'
import { trashCommands } from './trash.ts'
import { wafCommands } from './waf.ts'
import { wordpressCommands } from './wordpress.ts'

/** What the agent itself carries out, with what a driver offers beside commands. */
export const agentCommands = { ...stateCommands, ...fileCommands }

/** A driver's commands. */
export const driverCommands = {
  ...hostCommands,
  ...trashCommands,
  ...cronCommands,
  ...serviceCommands,
  ...banCommands,
  ...firewallCommands,
  ...conditionCommands,
  ...mailCommands,
  ...mailQueueCommands,
  ...mailTraceCommands,
  ...wordpressCommands,
  ...wafCommands,
}

/** Those of the drivers' parts, by the part's name. */
export const partCommands = {
  apps: appCommands,
  backups: backupCommands,
  dumps: dumpCommands,
  imports: importCommands,
  logs: logCommands,
  programs: programCommands,
}

/** Every command between the panel and the agents of its hosts. */
export const commands = {
  ...agentCommands,
  ...driverCommands,
  ...backupCommands,
  ...dumpCommands,
  ...importCommands,
  ...appCommands,
  ...logCommands,
  ...programCommands,
}

export type Commands = typeof commands
export type CommandName = keyof Commands
export const commandNames = Object.keys(commands) as readonly CommandName[]

export const commandOf = (name: CommandName): AnyCommand => commands[name]

export type InputOf<Declared extends { readonly input: unknown }> = Output<Declared['input']>
export type ResultOf<Declared extends { readonly result: unknown }> = Output<Declared['result']>

/** The input of each command. */
export type Inputs = { readonly [Name in CommandName]: InputOf<Commands[Name]> }

/** The result of each command, as it is sent. */
export type Results = { readonly [Name in CommandName]: Sent<Commands[Name]> }
type Sent<Declared extends AnyResult> = 'fromHost' extends Declared['bulk']
  ? ResultOf<Declared> & { readonly ticket: string }
  : ResultOf<Declared>
interface AnyResult {
  readonly result: unknown
  readonly bulk?: 'fromHost' | undefined
}

export interface Doing {
  readonly signal?: AbortSignal
  /** Called with one line for the job's log, and the fraction done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
}

/** One function for each command of a table. */
export type Implemented<Table extends Readonly<Record<string, AnyDeclared>>> = {
  [Name in keyof Table]: (input: InputOf<Table[Name]>, doing?: Doing) => Carried<Table[Name]>
}
interface AnyDeclared extends AnyResult {
  readonly input: unknown
}
type Carried<Declared extends AnyDeclared> = 'fromHost' extends Declared['bulk']
  ? Promise<Source<ResultOf<Declared> & { readonly length: number }>>
  : [ResultOf<Declared>] extends [null]
    ? Promise<void>
    : Promise<ResultOf<Declared>>
