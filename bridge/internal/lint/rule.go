package lint

import "fmt"

// Rule is one thing that is looked for.
type Rule struct {
	// ID is the stable name, in kebab case.
	ID string
	// Severity is that of its findings.
	Severity Severity
}

// Rules returns all that is looked for, errors first. The slice is the caller's.
func Rules() []Rule {
	list := make([]Rule, len(rules))
	copy(list, rules[:])
	return list
}

// rule is the place of a rule in the table.
type rule int

const (
	nameRefused rule = iota
	nameCollides
	descriptionMissing
	descriptionTooLong
	textNotUTF8
	schemaNotJSON
	schemaTooDeep
	schemaTooLarge
	schemaDialect
	rootNotObject
	rootCombinator
	propertiesMissing
	propertyNameRefused
	requiredUnknown
	keywordRefused
	keywordMalformed
	nullValue
	typeMissing
	typeList
	formatRefused
	arrayWithoutItems
	enumEmpty
	enumRepeats
	enumNotStrings
	patternRefused
	referenceDangling

	rawSchemaRefused
	nameLong
	nameFiltered
	nameCryptic
	argumentCryptic
	commentMissing
	descriptionRepeatsName
	firstSentenceLong
	textSuspicious
	fieldsUndescribed
	requiredUnlisted
	overBudget
	effectsUnsaid
	secretArgument
	secretResult
	deprecatedMethod
	unpagedList
	answersUnfilled
	eventIsData
	tooManyTools
	ruleCount
)

var rules = [ruleCount]Rule{
	nameRefused:         {"name-refused", Error},
	nameCollides:        {"name-collides", Error},
	descriptionMissing:  {"description-missing", Error},
	descriptionTooLong:  {"description-too-long", Error},
	textNotUTF8:         {"text-not-utf8", Error},
	schemaNotJSON:       {"schema-not-json", Error},
	schemaTooDeep:       {"schema-too-deep", Error},
	schemaTooLarge:      {"schema-too-large", Error},
	schemaDialect:       {"schema-dialect", Error},
	rootNotObject:       {"root-not-object", Error},
	rootCombinator:      {"root-combinator", Error},
	propertiesMissing:   {"properties-missing", Error},
	propertyNameRefused: {"property-name-refused", Error},
	requiredUnknown:     {"required-unknown", Error},
	keywordRefused:      {"keyword-refused", Error},
	keywordMalformed:    {"keyword-malformed", Error},
	nullValue:           {"null-value", Error},
	typeMissing:         {"type-missing", Error},
	typeList:            {"type-list", Error},
	formatRefused:       {"format-refused", Error},
	arrayWithoutItems:   {"array-without-items", Error},
	enumEmpty:           {"enum-empty", Error},
	enumRepeats:         {"enum-repeats", Error},
	enumNotStrings:      {"enum-not-strings", Error},
	patternRefused:      {"pattern-refused", Error},
	referenceDangling:   {"reference-dangling", Error},

	rawSchemaRefused:       {"raw-schema-refused", Warning},
	nameLong:               {"name-long", Warning},
	nameFiltered:           {"name-filtered", Warning},
	nameCryptic:            {"name-cryptic", Warning},
	argumentCryptic:        {"argument-cryptic", Warning},
	commentMissing:         {"comment-missing", Warning},
	descriptionRepeatsName: {"description-repeats-name", Warning},
	firstSentenceLong:      {"first-sentence-long", Warning},
	textSuspicious:         {"text-suspicious", Warning},
	fieldsUndescribed:      {"fields-undescribed", Warning},
	requiredUnlisted:       {"required-unlisted", Warning},
	overBudget:             {"over-budget", Warning},
	effectsUnsaid:          {"effects-unsaid", Warning},
	secretArgument:         {"secret-argument", Warning},
	secretResult:           {"secret-result", Warning},
	deprecatedMethod:       {"deprecated", Warning},
	unpagedList:            {"unpaged-list", Warning},
	answersUnfilled:        {"answers-unfilled", Warning},
	eventIsData:            {"event-is-data", Warning},
	tooManyTools:           {"too-many-tools", Warning},
}

// findings collects what is wrong.
type findings []Finding

// add notes a finding.
func (f *findings) add(r rule, where, mend, reason string, args ...any) {
	if len(args) > 0 {
		reason = fmt.Sprintf(reason, args...)
	}
	*f = append(*f, Finding{Severity: rules[r].Severity, Rule: rules[r].ID, Where: where, Reason: reason, Mend: mend})
}
