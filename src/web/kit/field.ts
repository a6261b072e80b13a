/** One of several to choose from. */
export interface Option {
  readonly value: string
  readonly label: string
  /** What something is called: not translated. */
  readonly named?: true
}

/** One input as the kit draws it. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly error?: string
  readonly required?: true
  /** What the page showed, for the hidden input `was.<name>`. */
  readonly was?: string
  readonly control: Control
}

export type Control =
  | TextControl
  | {
      readonly kind: 'area'
      readonly value: string
      readonly machine: boolean
      readonly rows: number
      readonly maxlength?: number
    }
  | { readonly kind: 'check'; readonly checked: boolean }
  | {
      readonly kind: 'choice'
      readonly as: 'radios' | 'select'
      readonly options: readonly Option[]
      readonly value: string
    }
  | { readonly kind: 'checks'; readonly options: readonly Option[]; readonly values: readonly string[] }
  | { readonly kind: 'rows'; readonly columns: readonly string[]; readonly rows: readonly (readonly Field[])[] }
  | SecretControl
  | { readonly kind: 'hidden'; readonly value: string }

export interface TextControl {
  readonly kind: 'text'
  readonly value: string
  readonly type: 'text' | 'email' | 'url' | 'datetime-local'
  /** What a program reads: no spelling, left to right. */
  readonly machine: boolean
  readonly inputmode?: 'numeric' | 'decimal'
  readonly min?: number
  readonly max?: number
  readonly minlength?: number
  readonly maxlength?: number
  readonly autocomplete?: string
  readonly unit?: string
  /** The same in a larger unit. */
  readonly beside?: string
  /** The box `none.<name>` that says there is none. */
  readonly none?: { readonly label: string; readonly on: boolean }
  readonly offers?: readonly Option[]
}

/** Never filled in. */
export interface SecretControl {
  readonly kind: 'secret'
  readonly autocomplete: 'new-password' | 'current-password'
  /** A new one can be made up. */
  readonly generate: boolean
  readonly maxlength?: number
  /** Of several lines, such as a key. */
  readonly lines?: true
}

/** What is wrong, by the names of a problem's `fields`. */
export type Errors = Readonly<Record<string, string>>
