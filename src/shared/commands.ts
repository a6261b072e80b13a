/** `bytes`: a file of this machine, whose bytes are sent or which they are written to. */
export type Place = 'path' | 'query' | 'body' | 'bytes'
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'time' | 'json'

/** What the contract asks of a value: how long it is, or how many there are, and its form. */
export interface Rule {
  readonly least?: number
  readonly most?: number
  readonly pattern?: string
  /** Choices that stand alone. */
  readonly alone?: readonly string[]
}

/** One input of an operation and the option that carries it. */
export interface Field {
  /** Name on the wire; dots reach into objects of the body. */
  readonly name: string
  readonly place: Place
  /** Long option without dashes, also the name of the argument. */
  readonly option: string
  /** Hidden spelling: the name on the wire. */
  readonly alias?: string
  readonly type: FieldType
  readonly description: string
  readonly array?: true
  readonly nullable?: true
  readonly required?: true
  readonly secret?: true
  readonly choices?: readonly string[]
  /** The collection its value is an id of; a name is looked up there. */
  readonly ref?: string
  /** The list whose ids the shell offers, where its members have no names. */
  readonly offers?: string
  /** What it must be, where a prompt asks for it. */
  readonly rule?: Rule
  /** The path that says whether a value would do, of the field's name in query and answer. */
  readonly check?: string
  /** Its items can be given as NAME=VALUE. */
  readonly pairs?: true
  /** A list that `none` empties. */
  readonly emptied?: true
  /** Given as the path of a file, or `-` for standard input. */
  readonly file?: true
  /** Not offered as an option: the command line sets it itself. */
  readonly internal?: true
}

/** A field of what is answered, as a column can show it. */
export interface Column {
  readonly field: string
  /** `time`, `date`: milliseconds, shown from now or as a day; `limit`: absent means unlimited; `open`: an object with any fields. */
  readonly kind?: 'time' | 'date' | 'limit' | 'open'
}

/** An API operation, as plain data. */
export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly fields: readonly Field[]
  /** The columns that are shown unless others are asked for. */
  readonly columns: readonly string[]
  /** Which of the table's shapes a row or a card has. */
  readonly shape?: string
  /** How its list is read: by pages, after a number, whole, or after the mark of the page before. */
  readonly list?: 'pages' | 'cursor' | 'whole' | 'marked'
  /** Lines of text, of which `--follow` prints what comes. */
  readonly follow?: true
  /** Its list is shown newest first unless `--order` says otherwise. */
  readonly newest?: true
  readonly confirm?: 'yes' | 'name'
  readonly confirmWhen?: { readonly field: string; readonly value: string | boolean; readonly differs?: string }
  /** A zone file that is sent in parts where it is refused as `too-many`: its field, where the zone is read, and the value of a field that allows it. */
  readonly inParts?: {
    readonly file: string
    readonly zone: string
    readonly only: { readonly field: string; readonly value: string }
  }
  readonly show?: string
  /** A value of what is shown that ends the command with an error. */
  readonly failsWhen?: { readonly field: string; readonly value: string }
  /** The list in what is shown whose items are the rows of its table. */
  readonly rows?: string
  /** What else is printed of it, below its table or fields: lists, or one row. */
  readonly also?: readonly { readonly field: string; readonly columns: readonly string[] }[]
  /** What is said where a field of the body was left out; `{name}` stands for a field of the answer. */
  readonly unless?: Readonly<Record<string, string>>
  /** The fields of the answer that are shown this once. */
  readonly once?: readonly string[]
  /** The answer carries the lines of a log. */
  readonly log?: true
  /** The field with a link that `--open` opens in a browser. */
  readonly link?: string
  readonly everything?: { readonly option: string; readonly without: string; readonly description: string }
  /** Its 202 may name a job to follow. */
  readonly job?: string
  /** The operation that reads what it shows once the job has ended. */
  readonly reread?: Reread
  readonly preset?: Preset
  /** A field of the body with the id of an upload, and the option whose file is uploaded for it. */
  readonly upload?: { readonly field: string; readonly option: string }
  readonly hasBody?: true
  /** Its body, or its answer, is bytes. */
  readonly raw?: 'body' | 'answer'
  readonly resumes?: true
  /** The path at which what replaces other things is read. */
  readonly replaces?: string
  /** An idempotency key may be sent. */
  readonly keyed?: true
}

/** A read by the parameters of the operation itself and, where it names one more, the id of what is shown. */
export interface Reread {
  readonly operation: string
  readonly id?: string
  /** Where its answer has what is shown, when that is not the whole of it. */
  readonly part?: string
  /** It is the list of all of them. */
  readonly listed?: true
}

/** An option that fills in fields for a purpose. */
export interface Preset {
  readonly option: string
  readonly description: string
  /** Fields of the body by the option's value. */
  readonly values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The path of the read whose answer is printed beside, and what is shown of both. */
  readonly beside: string
  readonly columns: readonly Column[]
}

/** An option of a local command. */
export interface OwnOption {
  readonly flags: string
  readonly description: string
  readonly repeat?: true
  readonly choices?: readonly string[]
  /** What the shell offers for its value: a collection, `events` or `contexts`. */
  readonly offers?: string
}

/** An argument of a local command. */
export interface OwnArgument {
  readonly name: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly offers?: string
  readonly required?: true
}

/** A command: an operation by its words, or one written by hand. */
export interface Command {
  readonly words: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly examples: readonly string[]
  readonly operation?: string
  /** The operation that `--account` chooses; the only one where `operation` is missing. */
  readonly variant?: string
  /** Options of the fields given by place. */
  readonly args: readonly string[]
  /** The last argument may be repeated: the command runs on one after the other. */
  readonly many?: true
  /** The hand-written command, by file name. */
  readonly own?: string
  readonly ownArguments?: readonly OwnArgument[]
  readonly ownOptions?: readonly OwnOption[]
}

/** A collection whose members can be called by name. */
export interface Collection {
  /** The field that names a member. */
  readonly name: string
  /** What a member is called. */
  readonly noun: string
  /** Its list can be searched by `q`. */
  readonly searched?: true
  /** What `lookup` calls a member: no two on a server have the same name. */
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
