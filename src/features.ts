/**
 * The features, each a folder that can be deleted with its row: what it adds, by what the core asks for. This file has only
 * data and `import()`, because every command loads it.
 */
import type { Feature, Features } from './cli/verb.ts'

export const features: Readonly<Record<string, Feature>> = {
  people: {
    verbs: {
      'contacts find': {
        summary: 'find contacts by phone, email, name or messenger',
        load: () => import('./features/people/verbs/find.ts'),
      },
      'contacts match': {
        summary: 'find the contact of each row of a table of people',
        load: () => import('./features/people/verbs/match.ts'),
      },
      'contacts duplicates': {
        summary: 'find contacts that share a phone number, email address or messenger',
        load: () => import('./features/people/verbs/duplicates.ts'),
      },
    },
    topics: { spreadsheets: () => import('../docs/topics/spreadsheets.md') },
  },
  workbook: {
    options: {
      sheet: {
        after: 'allowEmpty',
        value: 'name',
        summary: 'the sheet of a workbook',
        default: 'the only one with content',
      },
    },
    readers: {
      xlsx: async () => (await import('./features/workbook/workbook.ts')).readWorkbook,
    },
    writers: { xlsx: async () => (await import('./features/workbook/writer.ts')).writer },
  },
  plans: {
    nouns: {
      plans: {
        summary: 'plans of bulk commands: show, apply',
        description:
          'Plans of bulk commands: --plan writes what would be sent to a file, somebody else reviews it, and it is applied once,\n' +
          'exactly as written.',
        examples: [
          'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
          'svc plans show old.plan --who',
          'svc plans apply old.plan --yes',
        ],
      },
    },
    verbs: {
      'plans show': {
        summary: 'show what a plan would do, and who planned it',
        load: () => import('./features/plans/verbs/show.ts'),
      },
      'plans apply': {
        summary: 'apply a plan, once',
        load: () => import('./features/plans/verbs/apply.ts'),
      },
    },
    options: {
      plan: {
        after: 'once',
        value: 'file',
        takes: 'file',
        summary: 'write a plan to review and apply; send nothing',
        conflicts: [
          'once',
          'newRun',
          'newKey',
          'takeOver',
          'dryRun',
          'receipts',
          'annotate',
          'concurrency',
          'accept',
        ],
      },
    },
    plans: {
      loadWriter: async () => (await import('./features/plans/plan-file.ts')).writePlan,
    },
  },
  sandbox: {
    nouns: {
      sandbox: {
        summary: 'try svc against a copy of the service on this machine',
        description:
          'Run the whole service on this machine, with sample data that is always the same, to try and test things.',
        examples: [
          'svc sandbox shell',
          'svc sandbox exec -- svc lists get VIP',
          'svc sandbox start --port 0',
        ],
      },
    },
    verbs: {
      'sandbox shell': {
        summary: 'open a shell in which svc uses a new sandbox',
        load: () => import('./features/sandbox/verbs/shell.ts'),
      },
      'sandbox exec': {
        summary: 'run a command against a new sandbox',
        load: () => import('./features/sandbox/verbs/exec.ts'),
      },
      'sandbox start': {
        summary: 'start the service on this machine',
        load: () => import('./features/sandbox/verbs/start.ts'),
      },
    },
    topics: { faults: () => import('../docs/topics/faults.md') },
  },
}

/** The additions of all features to one part of the core. */
function joined<Part extends object>(partOf: (feature: Feature) => Part | undefined): Part {
  return Object.assign({}, ...Object.values(features).map(partOf)) as Part
}

/** All features as one. */
export const allFeatures: Features = {
  nouns: joined(({ nouns }) => nouns),
  verbs: joined(({ verbs }) => verbs),
  options: joined(({ options }) => options),
  topics: joined(({ topics }) => topics),
  readers: joined(({ readers }) => readers),
  writers: joined(({ writers }) => writers),
  plans: joined(({ plans }) => plans),
}
