/** Systems of the table: studies, benchmarks and other fields. */
import type { System } from './system.ts';

export const ANALYSIS: readonly System[] = [
  {
    name: 'K-Dense Analyst',
    arxiv: '2508.07043',
    does: 'Plans and runs analyses of biology by several agents; trains nothing.',
    uses: '',
    why: 'no training',
  },
  {
    name: 'Toolathlon',
    arxiv: '2510.25726',
    does: 'Tests agents on 604 tools of real apps.',
    uses: '',
    why: 'a benchmark of real apps',
  },
  {
    name: 'Certified training with IBP',
    arxiv: '2306.10426',
    does: 'Bounds what disturbed inputs can do to a network.',
    uses: '',
    why: 'robustness of vision, nothing that is sampled',
  },
  {
    name: 'Energy-Based Transformers',
    arxiv: '2507.02092',
    does: 'Predict by going downhill on a learned energy.',
    uses: '',
    why: 'no log-prob of a token, and gradients of second order',
  },
  {
    name: 'Trustworthy ML data-centric survey',
    arxiv: '2307.16851',
    does: 'Reads trustworthiness as a matter of causes.',
    uses: '',
    why: 'an analysis without reinforcement',
  },
  {
    name: 'CRMT',
    arxiv: '2402.06244',
    does: 'Makes fusion of several senses robust.',
    uses: '',
    why: 'vision and audio',
  },
  {
    name: '100 Days After DeepSeek-R1',
    arxiv: '2505.00551',
    does: 'Surveys what was replicated of R1.',
    uses: '',
    why: 'a survey',
  },
  {
    name: 'Lingshu',
    arxiv: '2506.07044',
    does: 'Curates data for medical images.',
    uses: '',
    why: 'images, and far more data than fits a device',
  },
  {
    name: 'CUAHarm',
    arxiv: '2508.00935',
    does: 'Tests what harm agents on a computer can do.',
    uses: '',
    why: 'a benchmark of screens; its lesson, to check the last state, is how environments judge here',
  },
  {
    name: 'Survey: Optimization of LLM agents',
    arxiv: '2503.12434',
    does: 'Surveys ways to improve agents.',
    uses: '',
    why: 'a survey',
  },
  {
    name: 'D5RL',
    arxiv: '2408.08441',
    does: 'Offline data sets of robots, of several qualities.',
    uses: '',
    why: 'robots',
  },
  {
    name: 'Gen-Drive',
    arxiv: '2410.05582',
    does: 'Generates and ranks scenes of traffic.',
    uses: '',
    why: 'driving, by diffusion',
  },
];
