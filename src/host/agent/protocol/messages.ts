import type { CommandName, Inputs, Results } from '../../contract/commands/index.ts'
import type { FileErrorDetail, HostError } from '../../contract/driver.ts'

export type { CommandName, Inputs, Results }

/**
 * The messages on a connection, one per frame. Both sides begin with a hello; then the panel sends commands, many at a
 * time, and the agent answers each when it is done.
 *
 * Bulk (backups, files, logs) never shares this connection: a command waited 57 ms behind a stream. The answer to a
 * command that needs bulk carries `ticket`, valid once and for a minute, and the panel opens a second connection whose
 * hello carries the same `ticket`; after the hellos that connection carries only the raw bytes. Sent bytes take effect
 * with the command `commit`, and are dropped with `discard`.
 */
export type ToAgent = Hello | Command | Cancel | Ping
export type ToPanel = Hello | Refusal | Progress | Answer | Pong

/** How a side introduces itself. Readers ignore unknown fields. */
export interface Hello {
  readonly type: 'hello'
  /** The protocol versions that it speaks. */
  readonly protocol: Versions
  /** Its program's version. */
  readonly build: string
  /** Unique to each start of its process. */
  readonly boot: string
  /** What an agent supports: its kind of driver, commands, parts of a state. */
  readonly capabilities: readonly string[]
  /** From an agent: the accounts whose half-done change it rolled back when it started. */
  readonly undone: readonly string[]
  /** From a panel that opens a connection for bulk. */
  readonly ticket?: string
  /** From a panel: the life of the store that it serves. */
  readonly leadership?: Leadership | undefined
}

/**
 * Of two servers with one store, hosts obey the one with the higher epoch, and within an epoch the one with the higher
 * life.
 */
export interface Leadership {
  /** The id shared by all lives of a store. */
  readonly server: string
  readonly epoch: number
  /** Unique to this life: two machines may take over in the same millisecond. */
  readonly life?: string
  /** Made with the server's own key: a host cannot claim an epoch that no server had. */
  readonly proof: string
}

export interface Versions {
  readonly min: number
  readonly max: number
}

/** Why this connection will not be served, in one sentence; the connection ends. */
export interface Refusal {
  readonly type: 'refused'
  readonly reason: string
  /** The leadership of the server that the host obeys instead. */
  readonly leadership?: Leadership
}

export interface Command<Name extends CommandName = CommandName> {
  readonly type: 'command'
  /** Assigned by the panel; messages about the command carry it. */
  readonly id: number
  /** The target machine: an agent refuses commands for another. */
  readonly node: string
  readonly command: Name
  readonly input: Inputs[Name]
}

/** Asks a command in flight to stop; it is answered all the same. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: number
}

/** Asks whether the agent is alive; only agents with the capability `ping` answer. */
export interface Ping {
  readonly type: 'ping'
}

export interface Pong {
  readonly type: 'pong'
}

export interface Progress {
  readonly type: 'progress'
  readonly id: number
  readonly line: string
  /** The fraction done, 0 to 1. */
  readonly done: number
}

export type Answer<Name extends CommandName = CommandName> = {
  readonly type: 'answer'
  readonly id: number
} & CommandOutcome<Name>

/** How a command ended. Unless its status is done, nothing was changed. */
export type CommandOutcome<Name extends CommandName = CommandName> =
  | { readonly status: 'done'; readonly result: Results[Name] }
  /** A newer state of this account arrived first. */
  | { readonly status: 'superseded' }
  | { readonly status: 'cancelled' }
  /** This agent does not know the command, or a part or field of it. */
  | { readonly status: 'unsupported'; readonly message: string }
  /** With a stage the message is for users; without one it is for the log. */
  | {
      readonly status: 'failed'
      readonly stage?: HostError['stage'] | undefined
      readonly message: string
      /** What is wrong with a file request, and in which field. */
      readonly fileError?: FileErrorDetail
    }
