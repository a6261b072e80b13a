import { Readable } from 'node:stream'
import type { Context } from 'hono'
import { screens as declared, handlers } from '../areas/index.ts'
import { operations } from '../contract/index.ts'
import type { PanelName } from '../contract/sessions.ts'
import type { Caller } from '../runtime/context.ts'
import { type Handler, run } from '../runtime/run.ts'
import type { Ask, Screens } from '../web/routes.tsx'
import { authenticate } from './authenticate.ts'
import { huge, kept, large, type Room, readForm, small, streamed } from './body.ts'
import { callerOf } from './caller.ts'
import type { Environment } from './environment.ts'
import { securityHeaders } from './headers.ts'
import type { AppOptions } from './options.ts'

type C = Context<{ Bindings: Environment }>

/** What screens need of the server: operations run as the caller. */
export function screensOf(options: AppOptions): Screens {
  const { runtime } = options
  return {
    server: runtime.hostname,
    get headers() {
      return { ...securityHeaders, 'X-Request-Id': runtime.id() }
    },
    declared,
    now: () => runtime.clock.now(),
    id: () => runtime.id(),
    wait: (ms, stop) => waited(runtime, ms, AbortSignal.any([stop, options.stopping])),
    form: (c, panel, most) => readForm(c, roomOf(options, callerOf(c, options), panel, most)),
    parts: streamed,
    async perform(c: C, id, ask = {}) {
      const op = operations[id]
      const caller = withHeaders(callerOf(c, options), ask)
      const who = () => (op.allow === 'anyone' ? undefined : authenticate(runtime, op, caller))
      return run(runtime, handlers[id] as Handler, {
        op,
        caller,
        actor: who(),
        again: who,
        params: ask.params ?? {},
        query: new URLSearchParams(ask.query),
        body: () => Promise.resolve(ask.body),
        bytes: () => ask.bytes ?? Readable.from([]),
        idempotencyKey: ask.key,
        requestId: runtime.id(),
        signal: () => options.stopping,
      })
    },
  }
}

function waited({ clock }: AppOptions['runtime'], ms: number, stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true))
    stop.addEventListener('abort', () => {
      cancel()
      resolve(false)
    })
  })
}

/** A form that was filled in while its session ended is read too, so that what was typed is not lost. */
function roomOf({ runtime }: AppOptions, caller: Caller, panel: PanelName, most: 'zone' | undefined): Room {
  const standing = runtime.ports.sessionStanding(runtime, caller, panel)
  if (standing === 'running') return most === 'zone' ? huge : large
  return standing === 'ended' ? kept : small
}

/** A form sends its CSRF token as a field, and a page says itself what an operation reads of headers. */
function withHeaders(caller: Caller, { csrf, headers = {} }: Ask): Caller {
  const own: Readonly<Record<string, string | undefined>> = {
    ...headers,
    ...(csrf !== undefined && { 'x-csrf-token': csrf }),
  }
  return { ...caller, header: (name) => (Object.hasOwn(own, name) ? own[name] : caller.header(name)) }
}
