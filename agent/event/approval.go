package event

import "slices"

// Approval says which changes of the vault wait for the user's consent.
type Approval string

// The approvals, weakest first.
const (
	ApprovalOff         Approval = "off"         // none: the agent is autonomous
	ApprovalDestructive Approval = "destructive" // those that take much away, and many in a turn
	ApprovalWrites      Approval = "writes"      // every one
	ApprovalPlan        Approval = "plan"        // none happens but by a plan that was approved
)

// Approvals are all there are, weakest first.
func Approvals() []Approval {
	return []Approval{ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan}
}

// Next is the one after it, round the end.
func (a Approval) Next() Approval {
	all := Approvals()
	return all[(slices.Index(all, a)+1)%len(all)]
}

// Named is what the user calls it.
func (a Approval) Named() string {
	switch a {
	case ApprovalOff:
		return "autonomous"
	case ApprovalPlan:
		return "plan only"
	}
	return string(a)
}
