/** What the tool answers instead of a result: what is wrong, and the next step. */
export class ToolFailure extends Error {
  readonly code: string
  readonly next: string | undefined
  readonly fields: Readonly<Record<string, string>> | undefined

  constructor(code: string, detail: string, next?: string, fields?: Readonly<Record<string, string>>) {
    super(detail)
    this.code = code
    this.next = next
    this.fields = fields
  }
}
