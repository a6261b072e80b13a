/** The limits by which people choose a package. */
export const packageLimits = ['disk_quota_mb', 'max_email', 'max_sql'] as const

export interface Option {
  readonly value: string
  readonly label: string
  /** An identifier: not translated. */
  readonly named?: true
  /** The heading above the first of several. */
  readonly group?: string
  /** Of a package: what an account of it may have; absent means unlimited. */
  readonly limits?: { readonly [Name in (typeof packageLimits)[number]]?: number }
}

/** One input as the kit renders it. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly error?: string
  readonly required?: true
  /** Whether it is one of the few that most people fill in; the others are under "More options". */
  readonly primary?: true
  /** The heading of the fields of the same object. */
  readonly group?: string
  /** The value that the page showed, for the hidden input `was.<name>`. */
  readonly was?: string
  readonly control: Control
}

export interface Boxes {
  readonly options: readonly Option[]
  readonly ticked: readonly string[]
  /** What the other values are called. */
  readonly others: string
  /** The page that lists them all. */
  readonly catalog?: { readonly href: string; readonly text: string }
}

export type Control =
  | TextControl
  | {
      readonly kind: 'area'
      readonly value: string
      readonly machine: boolean
      readonly rows: number
      /** Each line is a value. */
      readonly listed?: true
      /** Lines such as it takes. */
      readonly examples?: readonly string[]
      /** Common values, as boxes beside it; it has the others. */
      readonly boxes?: Boxes
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
  | { readonly kind: 'rows'; readonly columns: readonly string[]; readonly rows: readonly (readonly FormField[])[] }
  | SecretControl
  | { readonly kind: 'hidden'; readonly value: string }

export interface TextControl {
  readonly kind: 'text'
  readonly value: string
  readonly type: 'text' | 'email' | 'url' | 'date' | 'datetime-local'
  /** For values that programs read: no spell check, left to right. */
  readonly machine: boolean
  readonly inputmode?: 'numeric' | 'decimal'
  readonly min?: number
  readonly max?: number
  readonly minlength?: number
  readonly maxlength?: number
  readonly autocomplete?: string
  readonly unit?: string
  /** The checkbox `none.<name>`, which means "no limit". */
  readonly none?: { readonly label: string; readonly on: boolean }
  readonly offers?: readonly Option[]
}

/** Never prefilled. */
export interface SecretControl {
  readonly kind: 'secret'
  readonly autocomplete: 'new-password' | 'current-password'
  /** Whether to offer a generated one. */
  readonly generate: boolean
  readonly maxlength?: number
  /** For several lines, such as a key. */
  readonly lines?: true
}

/** Error messages, by the names in a problem's `fields`. */
export type Errors = Readonly<Record<string, string>>
