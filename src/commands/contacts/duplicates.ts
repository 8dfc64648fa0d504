import { readContacts, sourceOptions } from '../../cli/contacts.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { id, number, rows, text, time, wide, type Columns } from '../../output/result.ts'
import type { Duplicate } from '../../people/duplicates.ts'

/** The columns of a file in which a person writes "yes" for each pair that `contacts merge --file` is to merge. */
const fileColumns: Columns<Duplicate> = {
  group: number('group'),
  source: id('source'),
  target: id('target'),
  shared: text('shared'),
  warning: text('warning'),
  sourceName: text('sourceName'),
  targetName: text('targetName'),
  sourcePhones: text('sourcePhones'),
  targetPhones: text('targetPhones'),
  sourceEmails: text('sourceEmails'),
  targetEmails: text('targetEmails'),
  sourceLists: text('sourceLists'),
  targetLists: text('targetLists'),
  sourceCreatedAt: time('sourceCreatedAt'),
  targetCreatedAt: time('targetCreatedAt'),
  merge: text('merge'),
}

export const verb = defineVerb({
  summary: 'find contacts that share a phone number, email address or messenger',
  description:
    'Find groups of contacts that share exactly the same phone number, email address or messenger. Each contact has a row, ' +
    'except the oldest of its group, which is the target. Names alone do not make a group. Nothing is merged: write csv or a ' +
    'workbook, which shows both sides of each pair, write "yes" under merge where both are the same person, and pass the file to ' +
    'svc contacts merge.',
  examples: [
    'svc contacts duplicates',
    'svc contacts duplicates --country DE --out pairs.xlsx',
    'svc contacts merge --file pairs.csv --dry-run',
  ],
  options: {
    ...sourceOptions,
    ...countryOption,
    ...limitOption,
  },
  isRead: true,
  fileColumns,
  columns: {
    NAMES: text(({ sourceName, targetName }: Duplicate) => `${sourceName} / ${targetName}`),
    SHARED: text('shared'),
    WARNING: text('warning'),
    SOURCE: wide(id('source')),
    TARGET: wide(id('target')),
  },
  act: async (context, _args, options) => {
    const { findDuplicates } = await import('../../people/duplicates.ts')
    const { requireCountry } = await import('../../people/person-values.ts')
    const country = requireCountry((await context.configuration()).settings.country)
    const people = await readContacts(context, options)
    const found = findDuplicates(people.all, country, context.print.rowLimit)
    const notes = [...found.notes, ...people.extentNotes(found.total > 0)]
    return rows(found.rows, {
      shown: found.shown,
      total: found.total,
      notes,
      // --limit counts groups, so no group is cut.
      what: 'groups',
      empty: 'no duplicates',
    })
  },
})
