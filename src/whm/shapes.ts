/** A function's result, before either version's shape. */
export interface Result {
  readonly reason?: string
  /** Replaces the reason in version 0. */
  readonly statusmsg?: string
  readonly data?: Readonly<Record<string, unknown>>
  /** Sent as `metadata.output.raw`, or `rawout`. */
  readonly raw?: string
  readonly warnings?: readonly string[]
}

/**
 * The version 0 shape of a function. `change`: `result[0]`, data in `options`. `read`: `status` and `statusmsg` beside
 * the data. `bare`: the data alone. A list by name: `passwd[0]`, `bandwidth[0]`.
 */
export type Shape = 'change' | 'read' | 'bare' | { readonly list: string }

export interface Called {
  readonly name: string
  readonly version: 0 | 1
  readonly shape: Shape
  /** What a failed read contains instead of its data, in version 0. */
  readonly nothing?: Readonly<Record<string, null>>
  /** Renames the data for version 0. */
  readonly rename?: (data: Readonly<Record<string, unknown>>) => Record<string, unknown>
}

export function success(called: Called, result: Result): object {
  return called.version === 1 ? newSuccess(called, result) : oldSuccess(called, result)
}

function newSuccess({ name }: Called, { reason = 'OK', data, raw, warnings = [] }: Result): object {
  const output = { ...(raw ? { raw } : {}), ...(warnings.length > 0 ? { warnings } : {}) }
  const outputField = Object.keys(output).length > 0 ? { output } : {}
  return { ...(data ? { data } : {}), metadata: { command: name, version: 1, result: 1, reason, ...outputField } }
}

function oldSuccess({ shape, rename }: Called, result: Result): object {
  const { data = {}, raw = '', warnings = [] } = result
  const reason = result.statusmsg ?? result.reason ?? 'Ok'
  const named = rename ? rename(data) : data
  const rawout = [raw, ...warnings].filter(Boolean).join('\n')
  if (shape === 'bare') return { ...named }
  if (shape === 'read') return { status: 1, statusmsg: reason, ...named, ...(rawout ? { rawout } : {}) }
  if (shape !== 'change') return { [shape.list]: [{ status: 1, statusmsg: reason, ...named, rawout }] }
  const options = Object.keys(named).length > 0 ? { options: named } : {}
  return { result: [{ status: 1, statusmsg: reason, rawout, ...options }] }
}

export function failure({ name, version, shape, nothing }: Called, reason: string): object {
  if (version === 1) return { metadata: { command: name, version: 1, result: 0, reason } }
  const refused = { status: 0, statusmsg: reason }
  if (shape === 'bare' || shape === 'read') return { ...refused, ...nothing }
  return shape === 'change'
    ? { result: [{ ...refused, rawout: null }] }
    : { [shape.list]: [{ ...refused, rawout: '' }] }
}

/** Every function's response to a bad token, with status 403. */
export const denied = {
  cpanelresult: {
    apiversion: '2',
    error: 'Access denied',
    data: { reason: 'Access denied', result: '0' },
    type: 'text',
  },
}
