import { usageError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'
import { planned } from '../planned.ts'
import { askDuplicate, createList, onlyOne, readFirst } from './creation.ts'
import { checkName, readDescription } from './text.ts'

export const create: Verb = (lists, run) =>
  defineCommand(lists, 'create', 'create a contact list', [
    'svc lists create --name "Spring campaign"',
    'svc lists create --name VIP --if-not-exists --json',
  ])
    .description(
      'Create a contact list. A list of the same name is looked for first: lists cannot be deleted, and commands refuse a name that two of them have.',
    )
    .option('--name <name>', '1 to 100 characters (required)')
    .option('--description <text>', 'at most 1,000 characters')
    .option('--description-file <path>', 'read the description from a file, or - for standard input')
    .option('--if-not-exists', 'if a list with exactly this name exists, show it instead')
    .option('--allow-duplicate-name', 'do not look for a list of the same name')
    .option('--dry-run', 'check and show what would be created')
    .action(
      run({ ...oneContactListView, schema: schemaOf('WrittenList') }, async (context, options) => {
        if (options.name === undefined) throw usageError('--name is required')
        if (options.ifNotExists === true && options.allowDuplicateName === true)
          throw usageError('--if-not-exists and --allow-duplicate-name exclude each other')
        const name = checkName(options.name)
        const description = (await readDescription(context, options)) ?? ''
        const plan = () =>
          planned(context, `create the list "${name}"`, 'lists.create', { body: { name, description } })
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
      }),
    )
