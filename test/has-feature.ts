/** Features that a copy of svc may lack (`tools/build/without.mjs`): a test that needs one of them has nothing to run there. */
import { features } from '../src/features.ts'

export const hasFeature = (name: string): boolean => Object.hasOwn(features, name)

/** What a command line needs, by its words. */
const words = {
  people: /\bcontacts (?:find|match|duplicates)\b/,
  workbook: /xlsx\b|--sheet\b/,
  plans: /--plan\b|\bplans (?:show|apply)\b/,
  sandbox: /\bsandbox (?:start|exec|shell)\b/,
}

/** Whether svc has what a command line needs. */
export const canRun = (line: string): boolean =>
  Object.entries(words).every(([name, pattern]) => !pattern.test(line) || hasFeature(name))
