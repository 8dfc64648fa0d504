import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { contactListView } from '../../resources/contact-list.ts'
import { paging, pagingOptions } from '../../cli/options.ts'

export const list: Verb = (lists, run) =>
  pagingOptions(
    defineCommand(lists, 'list', 'list contact lists, newest first', [
      'svc lists list',
      'svc lists list --search VIP',
      'svc lists list -o csv --fields id,name,contactsCount',
    ]),
  )
    .option('--search <text>', 'only lists that the service finds for this text')
    .action(
      run({ ...contactListView, schema: schemaOf('Lists') }, async (context, options) => {
        if (options.search === '') throw usageError('--search needs at least one character')
        const { lists } = await context.api()
        return rows(lists.all(paging(context.print, options), options.search), { what: 'lists', empty: 'no lists' })
      }),
    )
