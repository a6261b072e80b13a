import type { HostClient, HostCommands, HostOptions } from './client.ts'
import { fileCommands } from './commands/files.ts'
import { type CommandName, commandNames } from './commands/index.ts'

export type ClientCommand = keyof HostCommands

const isOfFiles = (name: CommandName): name is keyof typeof fileCommands => name in fileCommands
const clientCommands = commandNames.filter((name): name is ClientCommand => !isOfFiles(name))

/** Sends a command; its input and result are those that its declaration states. */
interface Sender {
  send(name: ClientCommand, input: unknown, options?: HostOptions): Promise<unknown>
}

abstract class CommandSender implements Sender {
  abstract send(name: ClientCommand, input: unknown, options?: HostOptions): Promise<unknown>
}

for (const name of clientCommands)
  Object.defineProperty(CommandSender.prototype, name, {
    configurable: true,
    writable: true,
    value(this: CommandSender, input: unknown = {}, options?: HostOptions) {
      return this.send(name, input, options)
    },
  })

/** A client with a method for each declared command, all of which call `send`. */
export const CommandClient = CommandSender as unknown as abstract new () => HostCommands & Sender

/** Sends a command to a host by the command's name. */
export function sendTo(host: HostClient, name: ClientCommand, input: unknown, options?: HostOptions): Promise<unknown> {
  const methods = host as unknown as Readonly<
    Record<ClientCommand, (input: unknown, options?: HostOptions) => Promise<unknown>>
  >
  return methods[name](input, options)
}
