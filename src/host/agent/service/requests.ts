import { commandNames, commandOf } from '../../contract/commands/index.ts'
import { HostError } from '../../contract/error.ts'
import { check, knowsAll } from '../../contract/fields.ts'
import type { Frame } from '../protocol/frames.ts'
import type { Command } from '../protocol/messages.ts'

const fieldNames = ['type', 'id', 'node', 'command', 'input']

/** Parses a frame's command. A command with any unknown field is refused as a whole. */
export function readCommand(frame: Frame, node: string): Command {
  const command = frame as unknown as Command
  knowsAll([String(command.command)], commandNames, 'command')
  knowsAll(Object.keys(frame), fieldNames, 'field of a command')
  if (command.node !== node) throw new HostError('stage', `This is the host ${node}, but the command is for another.`)
  check(commandOf(command.command).input, command.input)
  return command
}
