/** The features as the program hands them down. */
import { joinFeatures } from '../cli/features.ts'
import { features as rows } from '../features.ts'

export const features = joinFeatures(rows)
