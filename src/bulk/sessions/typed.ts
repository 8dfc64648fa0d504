/**
 * Parameters of an operation as they were typed: names that reading turns into ids, and what a person at the terminal chooses. Texts are
 * what `--once` compares, so that a repetition is the same job even where a name has got another id since. `read-job.ts` calls it, for the
 * arguments and options that an operation declares.
 */
import {
  employeeChoices,
  listChoices,
  findEmployee,
  findList,
  namesOf,
  parseReference,
} from '../../api/names.ts'
import type { Pair } from '../../input/pairs.ts'
import { usageError } from '../../errors.ts'
import { parseId } from '../../values.ts'
import { labelOf, parameterRows, type KeyedParameter } from '../operations/operation.ts'
import { operationOf, targetParameter } from '../operations/operations.ts'
import type { ParameterValues, Party, RunFile } from '../record/run.ts'
import type { BulkTools } from '../tools.ts'
import type { NewStart } from './start.ts'

/** Made for one command line; `read-job.ts` asks it in this order: the texts, a choice where one is missing, the values. */
export class Typed {
  readonly #tools: BulkTools
  readonly #start: NewStart
  readonly #rows: readonly KeyedParameter[]
  readonly #texts: Record<string, string> = {}
  /** An employee that was chosen at the terminal. */
  #chosen: Party | undefined

  /** Throws exit 2 for what cannot be a name or an id. */
  constructor(tools: BulkTools, start: NewStart) {
    this.#tools = tools
    this.#start = start
    this.#rows = parameterRows(operationOf(start.operation).parameters)
    for (const row of this.#rows) {
      const value = start.parameters[row.key]
      if (value === undefined) continue
      const text = value === true ? 'yes' : value
      check(row, text)
      this.#texts[row.key] = text
    }
  }

  /** By their keys; `yes` for a flag. */
  get texts(): Readonly<Record<string, string>> {
    return { ...this.#texts }
  }

  get #target(): KeyedParameter | undefined {
    return targetParameter(this.#start.operation)
  }

  get hasTarget(): boolean {
    return this.#target !== undefined && this.#texts[this.#target.key] !== undefined
  }

  /** The pair of one thing and its second party, where that is no target of a run of ids. */
  pairOfOne(id: string): Pair | undefined {
    const target = this.#target
    const other = target?.isOfOne === true ? this.#texts[target.key] : undefined
    return other === undefined ? undefined : { id, other, line: 0 }
  }

  /** Whether the second party of a pair may be a name. */
  get hasNamesInPairs(): boolean {
    return this.#target?.kind === 'employee'
  }

  /** A target that ids need and that was not typed is asked for. Throws exit 2 where nobody can be asked. */
  async choose(kind: RunFile['kind']): Promise<void> {
    const target = this.#target
    if (kind === 'pairs' || target === undefined || this.hasTarget) return
    if (await this.chooseTarget()) return
    if (this.#start.one !== undefined) throw this.#start.one.missing
    const label = target.kind === 'list' ? `the argument <${target.key}>` : labelOf(target)
    throw usageError(`${label} is missing`)
  }

  /** False where nobody can be asked. */
  async chooseTarget(): Promise<boolean> {
    const target = this.#target
    if (target?.question === undefined) return false
    const id = await this.#tools.choose(target.question, async () =>
      target.kind === 'list'
        ? listChoices(await this.#tools.api())
        : employeeChoices(await this.#tools.employees()),
    )
    if (id === undefined) return false
    this.#texts[target.key] = id
    if (target.kind === 'employee') {
      this.#chosen = { id, name: namesOf(await this.#tools.employees()).get(id.toLowerCase()) }
    }
    return true
  }

  /** Names become ids by reading. Throws exit 6 for a name that nothing has, or several have. */
  async values(): Promise<ParameterValues> {
    const values: Record<string, Party | true> = {}
    for (const row of this.#rows) {
      const text = this.#texts[row.key]
      if (text !== undefined && row.isOfOne !== true) values[row.key] = await this.#find(row, text)
    }
    return values
  }

  async #find({ kind, use }: KeyedParameter, text: string): Promise<Party | true> {
    const { api, acceptNear } = this.#tools
    switch (kind) {
      case 'flag':
        return true
      case 'contact':
        return { id: text }
      case 'employee':
        if (this.#chosen?.id === text) return this.#chosen
        return findEmployee(this.#tools.employees, text, acceptNear)
      case 'list': {
        const reference = parseReference(text, 'list')
        // An id needs no reading: a dry run over ids alone works without a profile.
        if (reference.kind === 'id') return this.#listOf(reference.id)
        const isToFill = use === 'target'
        const { id, name } = await findList(await api(), text, acceptNear, { isToFill })
        return { id, name }
      }
    }
  }

  /** Reviewers of a plan see the name. */
  async #listOf(id: string): Promise<Party> {
    if (this.#start.options.plan === undefined) return { id }
    const { lists } = await this.#tools.api()
    return { id, name: (await lists.get(id)).name }
  }
}

/** Throws exit 2 for what cannot be a name or an id; whether there is such a thing is read later. */
function check({ key, kind }: KeyedParameter, text: string): void {
  if (kind === 'list' || kind === 'employee') parseReference(text, kind)
  else if (kind === 'contact') parseId(text, labelOf({ key, kind }))
}
