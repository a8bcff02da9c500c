/** Words that several methods speak in; what each says to a pretrained model is written where it is needed. */
export const ANOTHER = '<another>';
export const REFINE = '<refine>';
