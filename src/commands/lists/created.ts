/** What `lists create` does: looks for a list of the same name, and creates one. */
import { usageError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { planned } from '../planned.ts'
import { askDuplicate, createList, onlyOne, readFirst } from './creation.ts'
import { checkName, readDescription } from './text.ts'

interface Options {
  readonly name?: string
  readonly description?: string
  readonly descriptionFile?: string
  readonly ifNotExists?: true
  readonly allowDuplicateName?: true
  readonly dryRun?: true
}

export async function created(context: Context, options: Options) {
  if (options.name === undefined) throw usageError('--name is required')
  if (options.ifNotExists === true && options.allowDuplicateName === true)
    throw usageError('--if-not-exists and --allow-duplicate-name exclude each other')
  const name = checkName(options.name)
  const description = (await readDescription(context, options)) ?? ''
  const plan = () => planned(context, `create the list "${name}"`, 'lists.create', { body: { name, description } })
  if (options.dryRun === true && options.ifNotExists !== true) return plan()
  if (options.dryRun !== true) await context.permit({ operation: 'lists.create', ids: 1 })
  const api = await context.api()
  const [mustRead, isAll] = [options.ifNotExists === true, options.allowDuplicateName !== true]
  const { found, before } = await readFirst(context, api, name, { mustRead, isAll })
  const existing = mustRead ? onlyOne(found, name) : undefined
  if (existing !== undefined) {
    context.note(`a list called "${name}" already exists; nothing was created`)
    return record(existing)
  }
  if (options.dryRun === true) return plan()
  if (isAll) await askDuplicate(context, found, name)
  await context.confirmProtected(`Create the list "${name}"`)
  return record(await createList(context, api, { name, description }, before))
}
