/** `bytes`: a local file whose bytes are sent or received. */
export type FieldPlace = 'path' | 'query' | 'body' | 'bytes'
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'time' | 'duration' | 'json'

/** The contract's constraints on a value: its length or number of items, and its form. */
export interface Rule {
  readonly min?: number
  readonly max?: number
  readonly pattern?: string
  /** Choices that exclude all others. */
  readonly alone?: readonly string[]
}

/** An input of an operation and the option that carries it. */
export interface Field {
  /** Name on the wire; dots reach into nested objects. */
  readonly name: string
  readonly place: FieldPlace
  /** Long option without dashes, also the name of the argument. */
  readonly option: string
  /** Hidden spelling: the name on the wire. */
  readonly alias?: string
  readonly type: FieldType
  readonly description: string
  readonly array?: true
  readonly nullable?: true
  /** Null means unlimited. */
  readonly limit?: true
  readonly required?: true
  readonly secret?: true
  readonly choices?: readonly string[]
  /** The collection whose ids it takes; names are looked up there. */
  readonly ref?: string
  /** The list whose ids completion offers, if its members have no names. */
  readonly offers?: string
  /** Its constraints, for prompts. */
  readonly rule?: Rule
  /** The path that validates a value, under the field's name in query and response. */
  readonly check?: string
  /** Its items can be given as NAME=VALUE. */
  readonly pairs?: true
  /** Of a list of paths, whose names may contain commas: the option for one of them, which is not split. */
  readonly single?: string
  /** A list that `none` clears. */
  readonly emptied?: true
  /** Given as a file path, or `-` for standard input. */
  readonly file?: true
  /** Given as a file path, `-` for standard input, or PEM text. */
  readonly pem?: true
  /** A short form of a secret's `-file` option. */
  readonly fileOption?: string
  /** Not an option: the command line sets it itself. */
  readonly internal?: true
}

/** A response field, as a column can show it. */
export interface Column {
  readonly field: string
  /**
   * `time`, `date`: milliseconds, shown relative or as a day; `limit`: absent means unlimited; `open`: an object with
   * any fields; `changes`: what differs between `before` and `after`.
   */
  readonly kind?: 'time' | 'date' | 'limit' | 'open' | 'changes'
}

/** An API operation, as plain data. */
export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly fields: readonly Field[]
  /** The columns shown by default. */
  readonly columns: readonly string[]
  /** The table's shape that a row or card has. */
  readonly shape?: string
  /** How its list is read: by page, after an event number, at once, or after the previous page's mark. */
  readonly list?: 'pages' | 'cursor' | 'complete' | 'marked' | 'after'
  /** Lines of text; `--follow` prints new ones. */
  readonly follow?: true
  /** Its list is newest first by default. */
  readonly newest?: true
  readonly confirm?: 'yes' | 'name'
  readonly confirmWhen?: {
    readonly field: string
    readonly value: string | boolean
    readonly question: string
    readonly differs?: string
  }
  /**
   * A zone file that is sent in parts if it is refused as `too-many`: its field, where the zone is read, and the value
   * of a field that allows it.
   */
  readonly inParts?: {
    readonly file: string
    readonly zone: string
    readonly only: { readonly field: string; readonly value: string }
  }
  /** The body fields that a PKCS #12 file fills, and a key that its password opens. */
  readonly pem?: { readonly certificate: string; readonly chain: string; readonly key: string }
  readonly show?: string
  /** How its fields are divided on a terminal. */
  readonly groups?: readonly CardGroup[]
  /** A value that makes the command exit with an error. */
  readonly failsWhen?: { readonly field: string; readonly value: string | boolean }
  /** The list in the response that holds the table's rows. */
  readonly rows?: string
  /** What to print below its table or fields: lists, or one row. */
  readonly sections?: readonly { readonly field: string; readonly columns: readonly string[] }[]
  /** The field with a text to print below the others. */
  readonly text?: string
  /** What to print if a body field was omitted; `{name}` stands for a response field. */
  readonly unless?: Readonly<Record<string, string>>
  /** A body field that a value for another one sets, unless it is set itself. */
  readonly implies?: { readonly field: string; readonly sets: string; readonly to: string }
  /** What to print if a list of the answer is empty. */
  readonly lacking?: Readonly<Record<string, string>>
  /** The response fields that are shown only once. */
  readonly once?: readonly string[]
  /** The response contains log lines. */
  readonly log?: true
  /** The field with the link that `--open` opens. */
  readonly link?: string
  readonly everything?: { readonly option: string; readonly without: string; readonly description: string }
  /** The field of its 202 that may name a job to follow. */
  readonly job?: string
  /** The operation that reads the result once the job has ended. */
  readonly reread?: Reread
  readonly preset?: Preset
  /** A body field with an upload's id, and the option with the file to upload. */
  readonly upload?: {
    readonly field: string
    readonly option: string
    readonly directory?: string
    readonly isArgument?: true
  }
  readonly hasBody?: true
  /** Its change is undone unless it is confirmed in time: the path that confirms it. */
  readonly trial?: string
  /** Whether its body or its response is raw bytes. */
  readonly raw?: 'body' | 'answer'
  readonly resumes?: true
  /** The path that reads what it replaces. */
  readonly replaces?: string
  /** It accepts an idempotency key. */
  readonly keyed?: true
}

/** Fields under a heading, two a line, and what is used of limits; without a heading, a line each. */
export interface CardGroup {
  readonly heading?: string
  readonly fields?: readonly string[]
  /** What only documents and pipes show. */
  readonly left?: readonly string[]
  readonly usage?: readonly UsageLine[]
}

export interface UsageLine {
  readonly name: string
  readonly used: string
  readonly limit?: string
  readonly unit?: string
}

/** A read with the operation's own parameters and, if it needs one more, the id of the shown object. */
export interface Reread {
  readonly operation: string
  readonly id?: string
  /** The field with what is shown, if it is not the whole response. */
  readonly part?: string
  /** It is the list of all of them. */
  readonly listed?: true
}

/** An option that fills in fields for a purpose. */
export interface Preset {
  readonly option: string
  readonly description: string
  /** Body fields by the option's value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The path of a read that is printed as well, and the fields shown of both. */
  readonly beside: string
  readonly columns: readonly Column[]
}

/** An option of a local command. */
export interface OwnOption {
  readonly flags: string
  readonly description: string
  readonly repeat?: true
  readonly choices?: readonly string[]
  /** What completion offers: a collection, `events` or `contexts`. */
  readonly offers?: string
}

/** An argument of a local command. */
export interface OwnArgument {
  readonly name: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly offers?: string
  readonly required?: true
  /** It may be repeated. */
  readonly many?: true
}

/** A command: an operation by its words, or one written by hand. */
export interface Command {
  readonly words: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly examples: readonly string[]
  readonly operation?: string
  /** The operation used with `--account`; the only one if `operation` is missing. */
  readonly variant?: string
  /** Options of the positional fields. */
  readonly args: readonly string[]
  /** Body fields that its words set. */
  readonly sets?: Readonly<Record<string, string>>
  /** The last argument can be repeated: the command runs once for each. */
  readonly many?: true
  /** The hand-written command, by file name. */
  readonly own?: string
  readonly ownArguments?: readonly OwnArgument[]
  readonly ownOptions?: readonly OwnOption[]
}

/** A collection whose members have names. */
export interface Collection {
  /** The field with a member's name. */
  readonly name: string
  /** The noun for a member. */
  readonly noun: string
  /** Members of one name differ by their `type`, which can be named too: `@ TXT`. */
  readonly type?: true
  /** Members are named by domain and path: `shop.example`, `shop.example/blog`. */
  readonly byPath?: true
  /** Its list can be searched with `q`. */
  readonly searched?: true
  /** The kind in `lookup`: names are unique on a server. */
  readonly kind?: string
  readonly paged?: true
}

export interface Table {
  readonly areas: Readonly<Record<string, string>>
  readonly commands: readonly Command[]
  readonly operations: Readonly<Record<string, Operation>>
  /** Every field that a column can show. */
  readonly shapes: Readonly<Record<string, readonly Column[]>>
  readonly collections: Readonly<Record<string, Collection>>
  /** Problem code to exit code. */
  readonly exits: Readonly<Record<string, number>>
  readonly events: readonly string[]
}
